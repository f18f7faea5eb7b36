import type { TestProject } from "vitest/node";
import { createSql } from "../../src/db/client.ts";
import { TEMPLATE } from "../support/global-setup.ts";
import { startCluster, urlOf } from "./cluster.ts";
import { spreadDatabase } from "./world.ts";

/** In place of the one server that the tests share: a cluster of several. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster();
  const servers = [cluster.coordinator, ...cluster.workers];
  const onAll = (statement: string) =>
    Promise.all(
      servers.map(async (server) => {
        const sql = createSql(urlOf(server, "postgres"), { connections: 1 });
        await sql.unsafe(statement);
        await sql.end();
      }),
    );
  await cluster.join("postgres");
  const template = await spreadDatabase(cluster, TEMPLATE);
  await template.end();
  // Citus keeps a session in each of its databases, and a template must have none.
  await onAll(`ALTER DATABASE ${TEMPLATE} WITH ALLOW_CONNECTIONS false`);
  await onAll(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${TEMPLATE}'`,
  );
  project.provide("postgresUrl", urlOf(cluster.coordinator, "postgres"));
  project.provide(
    "workerUrls",
    cluster.workers.map((worker) => urlOf(worker, "postgres")),
  );
  return cluster.stop;
}
