import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A chain as CHAINS_FILE has it. */
export type FileChain = Readonly<Record<string, string | number>>;

/** A CHAINS_FILE of its own. */
export interface ChainsFile {
  path: string;
  write(chains: readonly FileChain[]): void;
  /** Writes a file that is not a list of chains. */
  spoil(content: string | Buffer): void;
  remove(): void;
}

export function createChainsFile(chains: readonly FileChain[] = []): ChainsFile {
  const folder = mkdtempSync(path.join(tmpdir(), "periscope-chains-"));
  const file = path.join(folder, "chains.json");
  const write = (list: readonly FileChain[]) => {
    writeFileSync(file, JSON.stringify({ chains: list }));
  };
  write(chains);
  return {
    path: file,
    write,
    spoil: (content) => writeFileSync(file, content),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
