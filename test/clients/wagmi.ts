import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { installed, type Scratch } from "./program.ts";

/** Has wagmi's command line generate code by its plugin `blockExplorer`; the code. */
export async function generate(scratch: Scratch, settings: object): Promise<string> {
  const plugins = installed("@wagmi/cli/dist/esm/exports/plugins.js");
  writeFileSync(
    path.join(scratch.folder, "wagmi.config.mjs"),
    `import { blockExplorer } from ${JSON.stringify(plugins)};
export default { out: "generated.ts", plugins: [blockExplorer(${JSON.stringify(settings)})] };`,
  );
  const { code, said } = await scratch.run(process.execPath, [
    installed("@wagmi/cli/dist/esm/cli.js"),
    "generate",
  ]);
  if (code !== 0) throw new Error(said);
  return readFileSync(path.join(scratch.folder, "generated.ts"), "utf8");
}
