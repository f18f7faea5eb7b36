/** The CBOR values in contract code: integers, byte strings, texts, booleans, lists, maps with text keys. */
export type CborValue = number | boolean | null | string | Buffer | CborValue[] | CborMap;
type CborMap = Map<string, CborValue>;

const MAX_DEPTH = 8;

/** Decodes one CBOR value that fills `bytes`; undefined for forms that compilers never write. Source: RFC 8949. */
export function decodeCbor(bytes: Buffer): CborValue | undefined {
  const reader = { bytes, offset: 0 };
  try {
    const value = read(reader, 0);
    return reader.offset === bytes.length ? value : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Reader {
  bytes: Buffer;
  offset: number;
}

function read(reader: Reader, depth: number): CborValue {
  if (depth > MAX_DEPTH) throw new RangeError("too deep");
  const initial = reader.bytes.readUInt8(reader.offset++);
  const type = initial >> 5;
  if (type === 7) {
    const simple = { 20: false, 21: true, 22: null }[initial & 31];
    if (simple === undefined) throw new RangeError("simple value is not used in contract code");
    return simple;
  }
  const argument = readArgument(reader, initial & 31);
  switch (type) {
    case 0:
      return argument;
    case 2:
      return take(reader, argument);
    case 3:
      return take(reader, argument).toString("utf8");
    case 4:
      return Array.from({ length: bounded(reader, argument) }, () => read(reader, depth + 1));
    case 5: {
      const map: CborMap = new Map();
      for (let left = bounded(reader, argument); left > 0; left--) {
        const key = read(reader, depth + 1);
        if (typeof key !== "string") throw new RangeError("key is not text");
        if (map.has(key)) throw new RangeError("key occurs twice");
        map.set(key, read(reader, depth + 1));
      }
      return map;
    }
    default:
      throw new RangeError("type is not used in contract code");
  }
}

function readArgument(reader: Reader, information: number): number {
  if (information < 24) return information;
  const size = { 24: 1, 25: 2, 26: 4 }[information];
  if (size === undefined) throw new RangeError("length is not used in contract code");
  const value = reader.bytes.readUIntBE(reader.offset, size);
  if (value < (size === 1 ? 24 : 2 ** (4 * size))) throw new RangeError("length is too long");
  reader.offset += size;
  return value;
}

function take(reader: Reader, length: number): Buffer {
  const end = reader.offset + length;
  if (end > reader.bytes.length) throw new RangeError("ends too early");
  const bytes = reader.bytes.subarray(reader.offset, end);
  reader.offset = end;
  return bytes;
}

/** Bounds a count: every item takes at least one byte, so a larger count is refused before memory is allocated. */
function bounded(reader: Reader, count: number): number {
  if (count > reader.bytes.length - reader.offset) throw new RangeError("ends too early");
  return count;
}
