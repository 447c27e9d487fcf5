//! Lists by key, in one array.

/// For each key the positions of the entries that have it, in one array.
#[derive(Debug)]
pub(crate) struct Adjacency {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Adjacency {
    pub(crate) fn new(n: usize, keys: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0u32; n + 2];
        for key in keys.clone() {
            starts[key as usize + 2] += 1;
        }
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut items = vec![0; starts[n + 1] as usize];
        for (i, key) in keys.enumerate() {
            let slot = &mut starts[key as usize + 1];
            items[*slot as usize] = i as u32;
            *slot += 1;
        }
        Self { starts, items }
    }

    pub(crate) fn of(&self, key: u32) -> &[u32] {
        &self.items[self.starts[key as usize] as usize..self.starts[key as usize + 1] as usize]
    }
}
