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

/** CREATE, CALL, CALLCODE, DELEGATECALL, CREATE2, STATICCALL: other code, which may use any instruction. */
const RUNS_OTHERS = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa];

/** Returns how many of the bytes behind an instruction it pushes. */
export function pushedBy(opcode: number): number {
  return opcode <= PUSH32 ? Math.max(0, opcode - PUSH1 + 1) : 0;
}

/**
 * Returns the environment instructions of a constructor: those in creation code outside its runtime
 * code, all of them where it runs other code. Data counts as instructions.
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
