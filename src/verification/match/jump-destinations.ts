const JUMPDEST = 0x5b;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/**
 * Offsets of the jump destinations of compiled code, without those that bytes of its data or metadata happen to make.
 * The source map has an entry for each instruction, and none for what stands behind them. Null when it does not fit.
 */
export function jumpDestinations(code: Buffer, sourceMap: string): ReadonlySet<number> | null {
  const found = new Set<number>();
  let at = 0;
  for (let left = sourceMap.split(";").length; left > 0; left--) {
    const opcode = code[at];
    if (opcode === undefined) return null;
    if (opcode === JUMPDEST) found.add(at);
    at += opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 2 : 1;
  }
  return at <= code.length ? found : null;
}

/** Whether a jump could lead into these bytes, whatever stands in front of them. */
export function mayBeJumpedInto(bytes: Buffer): boolean {
  return bytes.includes(JUMPDEST);
}
