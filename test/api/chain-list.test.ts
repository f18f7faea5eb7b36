import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../support/app.ts";
import { publish } from "../support/build.ts";

let server: TestApp;
beforeAll(async () => {
  server = await createTestApp({ networkName: "Pearl" });
  await publish(server.sql, { blocks: [{ number: 0 }] });
});
afterAll(() => server.close());

const ask = async (app = server.app) =>
  (await app.inject({ url: "/v2/chainlist/", headers: { host: "explorer.test:81" } })).json();

test("lists the one chain, at the place where it was asked for", async () => {
  expect(await ask()).toEqual({
    comments: "status: 0 offline, 1 ok, 2 degraded",
    totalcount: 1,
    result: [
      {
        chainname: "Pearl",
        chainid: "31337",
        blockexplorer: "http://explorer.test:81/",
        apiurl: "http://explorer.test:81/v2/api?chainid=31337",
        status: expect.any(Number),
        comment: expect.any(String),
      },
    ],
  });
});

test("a chain that nobody knows yet is left out", async () => {
  const app = await createTestApp({
    chainId: () => {
      throw new Error("not yet");
    },
  });
  expect(await ask(app.app)).toMatchObject({ totalcount: 0, result: [] });
  await app.close();
});

test("says why it is degraded", async () => {
  const chain = Object.create(server.chain);
  chain.status = () => [{ usable: true }];
  const app = await createTestApp({ sql: server.sql, chain });
  expect((await ask(app.app)).result[0]).toMatchObject({
    status: 2,
    comment: "no indexer has reported yet",
  });
  await app.close();
});
