//! Every file that a fuzz target once failed on, and every seed, replayed.

use formwork_testkit::fuzz::TARGETS;
use std::path::Path;

#[test]
fn regressions_and_seeds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let mut n_replayed = 0;
    for (name, target) in TARGETS {
        for folder in ["regressions", "seeds"] {
            let folder = fuzz.join(folder).join(name);
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry.expect("the folder can be read").path();
                let data = std::fs::read(&path).expect("the file can be read");
                if let Err(failure) = target(&data) {
                    panic!("{}: {failure}", path.display());
                }
                n_replayed += 1;
            }
        }
    }
    assert!(n_replayed > 0, "the seeds are gone");
}
