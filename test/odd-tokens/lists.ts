import type { Address } from "viem";
import { mapLimit } from "../../src/core/async.ts";
import type { Asked, Difference } from "./at-once.ts";
import type { Kind } from "./kind.ts";
import type { Dialect, Served } from "./product.ts";
import { readTruth, type Truth } from "./truth.ts";

// Lists, counts and facts, which follow within the bounds of their freshness.

/** A holder and what it holds, in a list. */
type Row = readonly [string | undefined, string | undefined];

const AT_ONCE = 6;
/** More of them are asked of no token. */
const MOST_HOLDERS = 60;
/** Holders that topholders lists at most. */
const TOP_HOLDERS = 1_000;

/** Asks each list about each token and holder; returns what is not the contracts' word at the head. */
export async function judgeLists(
  { rpc, product, random, named }: Asked,
  kinds: readonly Kind[],
  holders: readonly Address[],
): Promise<Difference[]> {
  const { hash } = named.head;
  const truths = new Map<Kind, Truth>();
  for (const kind of kinds) {
    const all = [...new Set([...named.holders(kind.address).slice(0, MOST_HOLDERS), ...holders])];
    truths.set(kind, await readTruth(rpc, hash, kind.address, all, named.ids(kind.address)));
  }
  const differences: Difference[] = [];
  const dialect = (): Dialect => random.pick(["/api", "/v2/api"]);
  const note = (kind: string, action: string, wrong: readonly string[]): void => {
    for (const said of wrong.slice(0, 3)) differences.push({ kind, action, said, isLate: true });
  };

  await mapLimit([...truths], AT_ONCE, async ([kind, truth]) => {
    const contractaddress = kind.address;
    const ask = (action: string) =>
      product.ask(dialect(), { module: "token", action, contractaddress, offset: "10000" });
    const may = (what: "type" | "facts" | "lists") => !kind.unjudged?.includes(what);
    if (may("lists")) {
      const isNamed = new Set(named.holders(kind.address));
      const right = [...truth.balances].filter(
        ([holder]) => isNamed.has(holder) && (!kind.isOpen || holders.includes(holder)),
      );
      const compare = (action: string, rows: readonly Row[], scale = 0) =>
        note(kind.name, action, compareHoldings(truth, right, rows, scale));
      compare(
        "getTokenHolders",
        rowsOf(await ask("getTokenHolders")).map(({ address, value }) => [address, value]),
      );
      const list = rowsOf(await ask("tokenholderlist"));
      compare(
        "tokenholderlist",
        list.map((row) => [row["TokenHolderAddress"], row["TokenHolderQuantity"]]),
      );
      const top = rowsOf(await ask("topholders"));
      if (top.length < TOP_HOLDERS)
        compare(
          "topholders",
          top.map((row) => [row["TokenHolderAddress"], row["TokenHolderQuantity"]]),
          truth.standard === "ERC-20" ? Number(truth.decimals ?? 0n) : 0,
        );
      const count = await ask("tokenholdercount");
      const [least, most] = [right, [...truth.balances]].map(
        (all) => all.filter(([, balance]) => truth.hasCode && (balance ?? 0n) > 0n).length,
      ) as [number, number];
      const isSure = right.every(([, balance]) => balance !== null) || !truth.hasCode;
      const isRight = Number(count.result) >= least && Number(count.result) <= most;
      if (isSure && !kind.isOpen && !isRight) {
        note(kind.name, "tokenholdercount", [`should be ${least}, is ${count.result}`]);
      }
    }
    if (!truth.hasCode || !truth.standard || !may("facts")) return;
    const { result: token } = await ask("getToken");
    const info = (await ask("tokeninfo")).result?.[0];
    const facts = {
      ...(may("type") && { type: truth.standard }),
      name: truth.name ?? "",
      symbol: truth.symbol ?? "",
      decimals: String(truth.decimals ?? ""),
    };
    const found = { ...token, type: token?.type };
    const other = {
      type: info?.tokenType?.replace("ERC", "ERC-"),
      name: info?.tokenName,
      symbol: info?.symbol,
      decimals: info?.divisor,
    };
    note(kind.name, "getToken", compareFields(facts, found));
    note(kind.name, "tokeninfo", compareFields(facts, other));
  });

  await mapLimit(holders, AT_ONCE, async (address) => {
    const ask = (action: string) =>
      product.ask(dialect(), { module: "account", action, address, offset: "1000" });
    const lists = {
      tokenlist: rowsOf(
        await product.ask("/api", { module: "account", action: "tokenlist", address }),
      ),
      addresstokenbalance: rowsOf(await ask("addresstokenbalance")),
      addresstokennftbalance: rowsOf(await ask("addresstokennftbalance")),
    };
    for (const [kind, truth] of truths) {
      if (kind.unjudged?.includes("lists")) continue;
      const isNamed = named.holders(kind.address).includes(address);
      const balance = truth.balances.get(address);
      if (!isNamed || (truth.hasCode && balance === null)) continue;
      const held = truth.hasCode && truth.standard ? (balance ?? 0n) : 0n;
      const units = truth.units.get(address) ?? new Map<bigint, bigint>();
      const isKeptById = held > 0n && truth.standard === "ERC-1155";
      const rightRows = isKeptById
        ? [...units].map(([id, n]) => `${n} of id ${id}`)
        : held > 0n
          ? [String(held)]
          : [];
      const own = lists.tokenlist.filter((row) => row["contractAddress"] === kind.address);
      const rows = own.map(({ balance: n, id }) => (id === undefined ? n : `${n} of id ${id}`));
      compareRows("tokenlist", kind, rightRows, rows);
      const wrongTypes = own.filter(({ type }) => type !== truth.standard);
      if (rows.length > 0 && !kind.unjudged?.includes("type") && wrongTypes.length > 0) {
        note(kind.name, "tokenlist", [`type should be ${truth.standard}, is ${own[0]?.["type"]}`]);
      }
      for (const [action, standard] of [
        ["addresstokenbalance", "ERC-20"],
        ["addresstokennftbalance", "ERC-721"],
      ] as const) {
        const right = truth.standard === standard && held > 0n ? [String(held)] : [];
        const found = lists[action].filter((row) => row["TokenAddress"] === kind.address);
        compareRows(
          action,
          kind,
          right,
          found.map((row) => row["TokenQuantity"]),
        );
      }
    }

    function compareRows(
      action: string,
      kind: Kind,
      right: readonly string[],
      found: readonly (string | undefined)[],
    ): void {
      const [expected, actual] = [[...right].sort().join("; "), [...found].sort().join("; ")];
      if (expected === actual) return;
      note(kind.name, action, [`of ${address} should be [${expected}], is [${actual}]`]);
    }
  });
  return differences;
}

function rowsOf({ result }: Served): Record<string, string>[] {
  return Array.isArray(result) ? result : [];
}

/** Faults of a list of holders: extra rows, missing rows, other figures, the order. */
function compareHoldings(
  truth: Truth,
  right: readonly (readonly [Address, bigint | null])[],
  rows: readonly Row[],
  scale: number,
): string[] {
  const expected = new Map<string, string | null>();
  for (const [holder, balance] of right) {
    if (balance === null && truth.hasCode) expected.set(holder, null);
    else if (truth.hasCode && balance) expected.set(holder, scaled(balance, scale));
  }
  const found = new Map(rows.map(([holder = "", value = ""]) => [holder, value]));
  const wrong = [...expected].flatMap(([holder, value]) =>
    value === null || found.get(holder) === value
      ? []
      : [`${holder} should have ${value}, has ${found.get(holder)}`],
  );
  const extra = [...found].flatMap(([holder, value]) => {
    const balance = truth.hasCode ? truth.balances.get(holder as Address) : 0n;
    const isRight = balance === undefined || balance === null || scaled(balance, scale) === value;
    return expected.has(holder) || isRight
      ? []
      : [`${holder} should have ${balance}, has ${value}`];
  });
  return [...wrong, ...extra];
}

function scaled(value: bigint, decimals: number): string {
  if (decimals === 0) return String(value);
  const digits = String(value).padStart(decimals + 1, "0");
  const [whole, part] = [digits.slice(0, -decimals), digits.slice(-decimals)];
  const short = part.replace(/0+$/, "");
  return short === "" ? whole : `${whole}.${short}`;
}

function compareFields(
  right: Readonly<Record<string, string>>,
  found: Readonly<Record<string, unknown>> | undefined,
): string[] {
  return Object.entries(right).flatMap(([name, value]) =>
    (found?.[name] ?? "") === value ? [] : [`${name} should be ${value}, is ${found?.[name]}`],
  );
}
