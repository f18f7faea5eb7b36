import { afterAll, beforeAll, expect, test } from "vitest";
import { createSql } from "../../src/db/client.ts";
import { isDistributed } from "../../src/store/cluster/distribution.ts";
import { startPeriscope } from "../support/periscope.ts";
import { type Cluster, startCluster, urlOf } from "./cluster.ts";
import { spreadDatabase } from "./world.ts";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());

test("a replica of the coordinator, which workers may be ahead of, is not read from", async () => {
  const sql = await spreadDatabase(cluster, "postgres");
  await sql.end();
  const replica = urlOf(await cluster.follow(cluster.coordinator), "postgres");
  const reader = createSql(replica, { connections: 1 });
  expect(await isDistributed(reader)).toBe(true);
  await reader.end();

  const periscope = startPeriscope({
    ROLE: "api",
    CHAIN_ID: "31337",
    RPC_URL: "http://127.0.0.1:1",
    DATABASE_URL: urlOf(cluster.coordinator, "postgres"),
    DATABASE_READ_URL: replica,
  });
  expect(await periscope.ended).toBe(1);
  expect(periscope.complaints()).toContain(
    "DATABASE_READ_URL is a replica of a coordinator of several servers",
  );
});
