import { expect, test } from "vitest";
import { registry } from "../../../src/api/explorer/registry.ts";
import { askAtEveryHead, COMPARED } from "../../support/heads.ts";

// Two thousand heads, which take a quarter of an hour on two cores: npm run test:heads.
const HEADS = 30;

test("every head, asked at once for everything that an oracle knows, is answered right", async () => {
  const { heads, answers, wrong } = await askAtEveryHead(HEADS, 7);
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(heads).toBeGreaterThanOrEqual(HEADS);
  expect(answers).toBeGreaterThanOrEqual(HEADS * COMPARED.length);
});

test("every action has its oracle but those that no block decides", () => {
  const actions = Object.entries(registry).flatMap(([module, own]) =>
    own.map(({ name }) => `${module}/${name.toLowerCase()}`),
  );
  // The pool, prices of no source, and what is submitted.
  expect(actions.filter((name) => !COMPARED.includes(name))).toEqual([
    "account/pendingtxlist",
    // Has its own oracle, on tokens with approvals: modules/account/approvals.test.ts.
    "account/approvals",
    "stats/ethprice",
    "stats/coinprice",
    "contract/verify",
    "contract/verify_via_sourcify",
    "contract/verify_via_repository",
    "contract/verify_vyper_contract",
    "contract/verifysourcecode",
    "contract/checkverifystatus",
    "contract/verifyproxycontract",
    "contract/checkproxyverification",
    // Sources and traces: test/examples.test.ts.
    "transaction/getrevertlines",
    // A client's own limit, and the node's own answers, which are compared with it where they are tested.
    "getapilimit/getapilimit",
    // The operator's file.
    "nametag/getaddresstag",
    ...(registry["proxy"] ?? []).map(({ name }) => `proxy/${name.toLowerCase()}`),
  ]);
});
