import { expect, test } from "vitest";
import { registry } from "../../src/api/registry.ts";
import { askAtEveryHead, COMPARED } from "../support/heads.ts";

// Two thousand heads, which take a quarter of an hour on two cores: npm run test:heads.
const HEADS = 30;

test("every head, asked at once for everything that an oracle knows, is answered right", async () => {
  const { heads, answers, wrong } = await askAtEveryHead(HEADS, 7);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(heads).toBeGreaterThanOrEqual(HEADS);
  expect(answers).toBeGreaterThanOrEqual(HEADS * COMPARED.length);
});

/** What the pages ask for. Tests of their own compare it with the chain. */
const OF_PAGES = [
  "block/getblock",
  "block/listblocks",
  "contract/listbyname",
  "contract/readcontract",
  "transaction/listtransactions",
  "transaction/listtransfers",
];

test("every action has its oracle but those that no block decides", () => {
  const actions = Object.entries(registry).flatMap(([module, own]) =>
    own.map(({ name }) => `${module}/${name.toLowerCase()}`),
  );
  // The pool, prices of no source, and what is submitted.
  expect(actions.filter((name) => !COMPARED.includes(name))).toEqual([
    "account/pendingtxlist",
    "stats/ethprice",
    "stats/coinprice",
    ...OF_PAGES.slice(0, 4),
    "contract/verify",
    "contract/verify_via_sourcify",
    "contract/verify_via_repository",
    "contract/verify_vyper_contract",
    "contract/verifysourcecode",
    "contract/checkverifystatus",
    "contract/verifyproxycontract",
    "contract/checkproxyverification",
    ...OF_PAGES.slice(4),
    // A client's own limit, and the node's own answers, which are compared with it where they are tested.
    "getapilimit/getapilimit",
    ...(registry["proxy"] ?? []).map(({ name }) => `proxy/${name.toLowerCase()}`),
  ]);
});
