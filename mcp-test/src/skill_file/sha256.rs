//! SHA-256, as in FIPS 180-4.
//!
//! It compares files that both sides may know, so it need not be fast, nor take the same time for every input. No other part
//! of mcp-test needs a hash, and a dependency for it would be in every build.

/// The bytes of a block.
const BLOCK: usize = 64;

/// The constants of the rounds: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const ROUNDS: [u32; 64] = fractions_of_roots(3);

/// The first state: as [`ROUNDS`], of the square roots of the first 8 primes.
const STATE: [u32; 8] = fractions_of_roots(2);

/// The SHA-256 of these bytes.
pub(super) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut state = STATE;
    let blocks = bytes.chunks_exact(BLOCK);
    // The rest is followed by a bit 1, by zeros up to the end of a block, and in its last 8 bytes by the length in bits.
    let mut last = blocks.remainder().to_vec();
    last.push(0x80);
    while last.len() % BLOCK != BLOCK - 8 {
        last.push(0);
    }
    last.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in blocks.chain(last.chunks_exact(BLOCK)) {
        compress(&mut state, block);
    }
    let mut hash = [0; 32];
    for (to, word) in hash.chunks_exact_mut(4).zip(state) {
        to.copy_from_slice(&word.to_be_bytes());
    }
    hash
}

fn compress(state: &mut [u32; 8], block: &[u8]) {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for at in 16..64 {
        let (far, near) = (words[at - 15], words[at - 2]);
        let far = far.rotate_right(7) ^ far.rotate_right(18) ^ (far >> 3);
        let near = near.rotate_right(17) ^ near.rotate_right(19) ^ (near >> 10);
        let sum = words[at - 16].wrapping_add(words[at - 7]);
        words[at] = sum.wrapping_add(far).wrapping_add(near);
    }
    // The names of the standard.
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (round, word) in ROUNDS.into_iter().zip(words) {
        let sum = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let first = [sum, choice, round, word].into_iter().fold(h, u32::wrapping_add);
        let sum = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = sum.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(more);
    }
}

/// The first 32 bits of the fractional parts of the roots of this degree, 2 or 3, of the first primes.
const fn fractions_of_roots<const N: usize>(degree: u32) -> [u32; N] {
    let mut fractions = [0; N];
    let (mut found, mut number) = (0, 2_u128);
    // Loops without `for`, which is not available in a constant function.
    while found < N {
        let mut divisor = 2;
        while number % divisor != 0 {
            divisor += 1;
        }
        if divisor == number {
            // The root of a number that is shifted this far has the fraction in its lowest 32 bits.
            let root = integer_root(number << (32 * degree), degree);
            fractions[found] = (root & 0xffff_ffff) as u32;
            found += 1;
        }
        number += 1;
    }
    fractions
}

/// The greatest whole number whose power of this degree is not more than `number`.
const fn integer_root(number: u128, degree: u32) -> u128 {
    // The 64th prime is 311, so no root has more than 37 bits.
    let (mut root, mut bit) = (0, 1_u128 << 36);
    while bit > 0 {
        if (root | bit).pow(degree) <= number {
            root |= bit;
        }
        bit >>= 1;
    }
    root
}

#[cfg(test)]
mod tests {
    use crate::skill_file::digest;

    /// The lengths around the end of a block, where the padding changes; compared with `sha256sum`.
    #[test]
    fn digests_are_those_of_sha256sum() {
        let known = [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
            (1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        ];
        for (length, expected) in known {
            assert_eq!(digest(&vec![b'a'; length]), format!("sha256:{expected}"), "{length}");
        }
        let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(b"abc"), abc);
    }
}
