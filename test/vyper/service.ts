import type { Hex } from "../../src/core/evm/hex.ts";
import { createCatalogue } from "../../src/verification/compilers/catalogue.ts";
import { runExecutable } from "../../src/verification/compilers/compiler.ts";
import { compareReleases } from "../../src/verification/compilers/versions.ts";
import { createTestApp } from "../support/app.ts";
import { startWorld } from "../verification/world.ts";
import { FOLDER, installVypers } from "./compilers.ts";
import { mainOf, type Program } from "./programs.ts";

/** Starts verification by every release of Vyper, on a chain of its own. `versions` has each release's long version. */
export async function startService() {
  const versions = new Map(installVypers().map(({ release, version }) => [release, version]));
  const world = await startWorld();
  const catalogue = createCatalogue({
    folders: { solc: undefined, vyper: FOLDER },
    downloads: { solc: undefined, vyper: undefined },
  });
  const head = await world.node.request<{ hash: string }>("eth_getBlockByNumber", "latest", false);
  await world.indexer.reach(head.hash);
  const verifier = world.startVerifier({ catalogue });
  const server = await createTestApp({ sql: world.sql, chain: world.chain, verifier });

  /** Returns the codes that a release compiles from standard JSON. Throws its output without them. */
  async function compileInput(
    release: string,
    program: Program,
    { settings, ...others }: { settings: object },
  ): Promise<{ creation: Hex; runtime: Hex }> {
    const main = mainOf(program);
    const outputs = ["evm.bytecode.object", "evm.deployedBytecode.object"];
    const selection = compareReleases(release, "0.4.0") < 0 ? "*" : main;
    const outputSelection = { [selection]: outputs };
    const input = JSON.stringify({ ...others, settings: { ...settings, outputSelection } });
    const file = `${FOLDER}/vyper-${versions.get(release)}`;
    const run = await runExecutable(file, ["--standard-json"], input, 1e8);
    const contract = JSON.parse(run.stdout).contracts?.[main]?.[program.name];
    if (!contract) throw new Error(`${release}: ${run.stdout.slice(0, 2000)}${run.stderr}`);
    return {
      creation: contract.evm.bytecode.object,
      runtime: contract.evm.deployedBytecode.object,
    };
  }

  const stop = async () => {
    await server.close();
    await verifier.close();
    await world.stop();
  };
  return { world, verifier, server, versions, compileInput, stop };
}
