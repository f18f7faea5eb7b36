import type { CompiledCode, Slot } from "./bytecode.ts";

const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** Instructions whose results depend on more than the code, its arguments and its own storage. */
export const ENVIRONMENT = {
  ADDRESS: 0x30,
  BALANCE: 0x31,
  ORIGIN: 0x32,
  CALLER: 0x33,
  CALLVALUE: 0x34,
  GASPRICE: 0x3a,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  EXTCODEHASH: 0x3f,
  BLOCKHASH: 0x40,
  COINBASE: 0x41,
  TIMESTAMP: 0x42,
  NUMBER: 0x43,
  PREVRANDAO: 0x44,
  GASLIMIT: 0x45,
  SELFBALANCE: 0x47,
  BASEFEE: 0x48,
  BLOBHASH: 0x49,
  BLOBBASEFEE: 0x4a,
} as const;

export type EnvironmentInstruction = keyof typeof ENVIRONMENT;

const ALL = Object.keys(ENVIRONMENT) as EnvironmentInstruction[];

/** CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2 and STATICCALL run other code, which may use any instruction. */
const RUNS_OTHERS = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa];

/** Returns the number of bytes that an instruction pushes. */
function pushedBy(opcode: number): number {
  return opcode <= PUSH32 ? Math.max(0, opcode - PUSH1 + 1) : 0;
}

/** Yields the instructions of code with their offsets. Data counts as instructions. */
export function* walkInstructions(code: Buffer): Generator<{ at: number; opcode: number }> {
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at] ?? 0;
    yield { at, opcode };
    at += pushedBy(opcode);
  }
}

/**
 * Returns the environment instructions in the creation code outside its runtime code; all of them if
 * it runs other code. Data counts as instructions.
 */
export function environmentOf(creation: Buffer, runtime: Buffer): EnvironmentInstruction[] {
  const held = runtime.length === 0 ? -1 : creation.lastIndexOf(runtime);
  const opcodes = new Set<number>();
  for (let at = 0; at < creation.length; at++) {
    if (at === held) at += runtime.length;
    const opcode = creation[at] ?? 0;
    opcodes.add(opcode);
    at += pushedBy(opcode);
  }
  if (RUNS_OTHERS.some((opcode) => opcodes.has(opcode))) return ALL;
  return ALL.filter((name) => opcodes.has(ENVIRONMENT[name]));
}

const PREAMBLE = Buffer.from("fe7100", "hex");

/** Returns a blueprint's init code; null for other code, and for preambles with data, which is unproven. Source: EIP-5202. */
export function initCodeOfBlueprint(code: Buffer): Buffer | null {
  const isBlueprint =
    code.length > PREAMBLE.length && code.subarray(0, PREAMBLE.length).equals(PREAMBLE);
  return isBlueprint ? code.subarray(PREAMBLE.length) : null;
}

const JUMPDEST = 0x5b;
const INVALID = 0xfe;
/** STOP, JUMP, RETURN, REVERT, INVALID, SELFDESTRUCT. */
const STOPPING: ReadonlySet<number | undefined> = new Set([0x00, 0x56, 0xf3, 0xfd, INVALID, 0xff]);

/** Returns offsets of jump destinations outside data and metadata; null when the source map does not fit. */
export function jumpDestinations(code: Buffer, sourceMap: string): ReadonlySet<number> | null {
  const { offsets, end } = instructionsIn(code, sourceMap);
  return end <= code.length ? new Set(offsets.filter((at) => code[at] === JUMPDEST)) : null;
}

/** Returns whether compiled code stops at its end, so that the bytes after it are not executed. False when the source map is empty. */
export function stopsAtEnd(code: Buffer, sourceMap: string): boolean {
  const { offsets, end } = instructionsIn(code, sourceMap);
  if (sourceMap === "" || end > code.length) return false;
  // The compiler puts INVALID between instructions and data.
  return end < code.length ? code[end] === INVALID : STOPPING.has(code[offsets.at(-1) ?? 0]);
}

/** Returns the instructions. The source map has one entry for each, and none for the data after them. */
export function instructionsIn(code: Buffer, sourceMap: string) {
  const offsets: number[] = [];
  let end = 0;
  for (let left = sourceMap.split(";").length; left > 0; left--) {
    offsets.push(end);
    end += 1 + pushedBy(code[end] ?? 0);
  }
  return { offsets, end };
}

/** Bytes of code, from an offset on. */
type Range = Pick<Slot, "offset" | "length">;

/** Returns whether an instruction may begin in one of these parts, or a PUSH that begins in one swallows the bytes after it. */
export function mayBeRun(code: Buffer, parts: readonly Range[]): boolean {
  const ends = nearestEnds(code, parts);
  let isReached = true;
  for (const { at, opcode } of walkInstructions(code)) {
    isReached ||= opcode === JUMPDEST;
    const end = ends[at] ?? 0;
    if (end > 0 && (isReached || (end <= at + pushedBy(opcode) && end < code.length))) return true;
    if (STOPPING.has(opcode)) isReached = false;
  }
  return false;
}

/** Returns for each byte of code the end of the part that contains it (of several the first to end); 0 outside of all parts. */
function nearestEnds(code: Buffer, parts: readonly Range[]): Uint32Array {
  const ends = new Uint32Array(code.length);
  for (const { offset, length } of parts) {
    const end = offset + length;
    for (let at = offset; at < Math.min(end, code.length); at++) {
      ends[at] = Math.min(ends[at] || end, end);
    }
  }
  return ends;
}

/** Returns the parts that the compiler did not write: libraries, other metadata, the bytes after the code, and any `linked` address. */
export function foreignParts(
  { bytes, libraries, auxdata }: CompiledCode,
  code: Buffer,
  linked: readonly Buffer[] = [],
): Range[] {
  const end = bytes.length;
  const metadata = auxdata
    .map(({ offset, value }) => ({ offset, value, behind: offset + value.length }))
    .filter(({ offset, value, behind }) => !code.subarray(offset, behind).equals(value))
    .map(({ offset, behind }) => ({
      offset,
      length: (behind < end ? behind : code.length) - offset,
    }));
  const addresses = linked.flatMap((address) => placesOf(address, code));
  return [...libraries, ...addresses, ...metadata, { offset: end, length: code.length - end }];
}

function placesOf(address: Buffer, code: Buffer): Range[] {
  const places: Range[] = [];
  for (let offset = code.indexOf(address); offset >= 0; offset = code.indexOf(address, offset + 1))
    places.push({ offset, length: address.length });
  return places;
}
