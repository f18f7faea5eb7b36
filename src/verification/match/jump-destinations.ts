const JUMPDEST = 0x5b;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/**
 * Offsets of the jump destinations in compiled code, without those in its data or metadata. The source map has one
 * entry for each instruction and none for the data behind them. Null when it does not fit the code.
 */
export function jumpDestinations(code: Buffer, sourceMap: string): ReadonlySet<number> | null {
  const found = new Set<number>();
  let at = 0;
  for (let left = sourceMap.split(";").length; left > 0; left--) {
    const opcode = code[at] ?? 0;
    if (opcode === JUMPDEST) found.add(at);
    at += opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 2 : 1;
  }
  return at <= code.length ? found : null;
}

/** Whether a jump could lead into these bytes, whatever is in front of them. */
export function mayBeJumpedInto(bytes: Buffer): boolean {
  return bytes.includes(JUMPDEST);
}
