// Keccak-256, for checksums of addresses (EIP-55) and for selectors.

const RATE = 136;
const LANES = 25;
/** Where each lane goes, how far it turns, and the constants of the rounds. */
const { places, turns, constants } = tables();

function tables() {
  const places = [];
  const turns = [];
  for (let step = 0, x = 1, y = 0; step < 24; step++) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    places.push(x + 5 * y);
    turns.push((((step + 1) * (step + 2)) / 2) % 64);
  }
  const constants = [];
  for (let round = 0, register = 1; round < 24; round++) {
    const words = [0, 0];
    for (let power = 0; power < 7; power++) {
      const bit = 2 ** power - 1;
      if (register & 1) words[bit >> 5] ^= 1 << (bit & 31);
      register = (register << 1) ^ (register >> 7 ? 0x171 : 0);
    }
    constants.push(words);
  }
  return { places, turns, constants };
}

/** Lanes of 64 bits as words of 32, the lower one first. */
function permute(state) {
  const column = new Int32Array(10);
  const row = new Int32Array(10);
  for (const [low, high] of constants) {
    for (let word = 0; word < 10; word++) {
      column[word] = 0;
      for (let y = 0; y < 50; y += 10) column[word] ^= state[y + word];
    }
    for (let x = 0; x < 5; x++) {
      const [left, right] = [((x + 4) % 5) * 2, ((x + 1) % 5) * 2];
      const a = column[left] ^ ((column[right] << 1) | (column[right + 1] >>> 31));
      const b = column[left + 1] ^ ((column[right + 1] << 1) | (column[right] >>> 31));
      for (let y = 0; y < 50; y += 10) {
        state[y + 2 * x] ^= a;
        state[y + 2 * x + 1] ^= b;
      }
    }
    let [a, b] = [state[2], state[3]];
    for (let step = 0; step < 24; step++) {
      const place = places[step] * 2;
      const bits = turns[step] % 32;
      if (turns[step] >= 32) [a, b] = [b, a];
      const turned = [(a << bits) | (b >>> (32 - bits)), (b << bits) | (a >>> (32 - bits))];
      [a, b] = [state[place], state[place + 1]];
      [state[place], state[place + 1]] = turned;
    }
    for (let y = 0; y < 50; y += 10) {
      row.set(state.subarray(y, y + 10));
      for (let word = 0; word < 10; word++) {
        state[y + word] = row[word] ^ (~row[(word + 2) % 10] & row[(word + 4) % 10]);
      }
    }
    state[0] ^= low;
    state[1] ^= high;
  }
}

/** The hash of bytes, as hex without `0x`. */
function keccak(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 1) / RATE) * RATE);
  padded.set(bytes);
  padded[bytes.length] = 1;
  padded[padded.length - 1] |= 0x80;
  const view = new DataView(padded.buffer);
  const state = new Int32Array(LANES * 2);
  for (let block = 0; block < padded.length; block += RATE) {
    for (let word = 0; word < RATE / 4; word++) {
      state[word] ^= view.getInt32(block + 4 * word, true);
    }
    permute(state);
  }
  return Array.from(new Uint8Array(state.buffer, 0, 32), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/** The hash of a text, `0x…`. */
export function hashOf(text) {
  return `0x${keccak(new TextEncoder().encode(text))}`;
}

const checksums = new Map();

/** An address in the mixed case that reveals typing errors (EIP-55); anything else as it is. */
export function checksummed(address) {
  const lower = String(address).toLowerCase();
  if (!/^0x[0-9a-f]{40}$/.test(lower)) return String(address);
  if (!checksums.has(lower)) {
    const hash = keccak(new TextEncoder().encode(lower.slice(2)));
    const cased = [...lower.slice(2)].map((digit, index) =>
      Number.parseInt(hash[index], 16) >= 8 ? digit.toUpperCase() : digit,
    );
    checksums.set(lower, `0x${cased.join("")}`);
  }
  return checksums.get(lower);
}
