import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { messageOf, pathFault } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { compare } from "./compare.ts";
import { type Imported, importContracts } from "./import-contracts.ts";
import { explorerOrigin, exportOrigin, type Origin, sourcifyOrigin } from "./origins.ts";
import { openWeb } from "./web.ts";

/** Usage of the commands. */
export const KIT_USAGE = `periscope import-contracts <URL or folder> [--to <URL>] [--chain <id>] [--sourcify] [--addresses <file>] [--pace <ms>]
      verifies contracts at --to that another server lists as verified: an explorer (URL of the API of Blockscout,
      Etherscan or Periscope), a Sourcify server (--sourcify, with --chain), or a folder of Sourcify's export (with
      --chain); skips those verified at --to already
  periscope compare <URL> --addresses <file> [--to <URL>] [--chain <id>] [--pace <ms>]
      asks that explorer and the Periscope at --to the same questions about each address; prints the fields that differ

  --to         the API of this Periscope (default http://127.0.0.1:4000/api, with --chain http://127.0.0.1:4000/<id>/api)
  --chain      id of the chain, for servers with several: sent to both as chainid
  --addresses  file with one address in each line
  --pace       least milliseconds between two requests to the other server (default 250)
`;

const OPTIONS = {
  to: { type: "string" },
  chain: { type: "string" },
  sourcify: { type: "boolean", default: false },
  addresses: { type: "string" },
  pace: { type: "string", default: "250" },
} as const;

const LONGEST_LINE = 1000;

/** Runs a command: 1 when something did not verify or differs, 2 for a wrong call. `print` gets bounded, printable lines. */
export async function runKit(
  command: "import-contracts" | "compare",
  given: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  const say = (line: string) => print(printable(line.slice(0, LONGEST_LINE)));
  try {
    const { values, positionals } = parseArgs({
      args: [...given],
      options: OPTIONS,
      allowPositionals: true,
    });
    const [from, ...others] = positionals;
    const { chain, sourcify, pace } = values;
    const isFolder = from !== undefined && !URL.canParse(from);
    const to = values.to ?? `http://127.0.0.1:4000/${chain === undefined ? "" : `${chain}/`}api`;
    const isCall =
      from !== undefined &&
      others.length === 0 &&
      URL.canParse(to) &&
      /^\d{1,6}$/.test(pace) &&
      (chain === undefined ? !sourcify && !isFolder : /^\d{1,16}$/.test(chain)) &&
      !(isFolder && command === "compare");
    if (!isCall) throw new TypeError("see --help");
    const here = openWeb(urlOfChain(to, chain), 0);
    const addresses = values.addresses === undefined ? undefined : readAddresses(values.addresses);
    if (command === "compare") {
      if (!addresses) throw new TypeError("--addresses is needed");
      const there = openWeb(urlOfChain(from, chain), Number(pace));
      const { differences, notCompared } = await compare(here, there, addresses, (difference) => {
        const { address, question, field, here: ours, there: theirs } = difference;
        say(`${address} ${question} ${field}: here ${ours}, there ${theirs}`);
      });
      if (notCompared.length > 0) {
        say(`not compared, because one of the two does not have it: ${notCompared.join(", ")}`);
      }
      say(
        `${addresses.length} addresses compared with ${there.name}: ${differences} fields differ`,
      );
      return differences === 0 ? 0 : 1;
    }
    const origin = openOrigin(from, chain, sourcify, Number(pace));
    return report(
      await importContracts(origin, here, addresses ?? origin.addresses(), (imported) =>
        say(formatLine(imported)),
      ),
      say,
    );
  } catch (error) {
    say(`periscope ${command}: ${messageOf(error)}`);
    return 2;
  }
}

/** Returns the origin of a command; a folder, and a Sourcify server, need the chain. */
function openOrigin(
  from: string,
  chain: string | undefined,
  isSourcify: boolean,
  paceMs: number,
): Origin {
  if (!URL.canParse(from)) return exportOrigin(from, chain ?? "");
  if (isSourcify) return sourcifyOrigin(openWeb(from, paceMs), chain ?? "");
  return explorerOrigin(openWeb(urlOfChain(from, chain), paceMs));
}

/** Returns the URL with the chain as a parameter, which is part of each request. */
function urlOfChain(text: string, chain: string | undefined): string {
  const url = new URL(text);
  if (chain !== undefined) url.searchParams.set("chainid", chain);
  return url.href;
}

function readAddresses(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`--addresses must be a file that this user can read, but ${pathFault(error)}`);
  }
  const found = text.match(/0x[0-9a-fA-F]{40}\b/g);
  if (!found) throw new Error("--addresses must be a file with addresses, but it has none");
  return [...new Set(found.map((address) => address.toLowerCase()))];
}

function formatLine(imported: Imported): string {
  const { address, outcome } = imported;
  if (outcome === "refused") return `${address} not verified: ${imported.reason}`;
  return `${address} ${outcome === "known" ? "was verified before" : "verified"}`;
}

function report(all: readonly Imported[], say: (line: string) => void): number {
  const refused = all.filter(({ outcome }) => outcome === "refused");
  const known = all.filter(({ outcome }) => outcome === "known").length;
  say(
    `${all.length} contracts: ${all.length - known - refused.length} verified, ${known} before, ${refused.length} not`,
  );
  for (const imported of refused) say(`  ${formatLine(imported)}`);
  return refused.length === 0 ? 0 : 1;
}
