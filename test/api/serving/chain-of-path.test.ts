import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../support/app.ts";

let server: TestApp;
beforeAll(async () => {
  // One goes on with its earlier settings, under a name that the file gives to another now.
  server = await createTestApp({
    networkName: "Pearl",
    chains: (own) => [
      own,
      { ...own, chainId: () => 42 },
      { ...own, chainId: () => 43, networkName: "Coral" },
    ],
  });
});
afterAll(() => server.close());

test("a name that two chains have leads to neither, ids and other names lead to their chains", async () => {
  const idsAt = async (path: string) => {
    const answer = await server.app.inject({ url: `${path}/v2/chainlist` });
    if (answer.statusCode !== 200) return answer.statusCode;
    return answer.json().result.map(({ chainid }: { chainid: string }) => chainid);
  };
  expect(await idsAt("/pearl")).toBe(404);
  expect(await idsAt("/coral")).toEqual(["43"]);
  expect(await idsAt("/31337")).toEqual(["31337"]);
  expect(await idsAt("/42")).toEqual(["42"]);
});
