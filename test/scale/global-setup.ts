import type { TestProject } from "vitest/node";
import { createSql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { distributeTables } from "../../src/store/distribution.ts";
import { TEMPLATE } from "../support/global-setup.ts";
import { startCluster, urlOf } from "./cluster.ts";

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
  await onAll(`CREATE DATABASE ${TEMPLATE}`);
  await cluster.join("postgres");
  await cluster.join(TEMPLATE);
  const template = createSql(urlOf(cluster.coordinator, TEMPLATE), { connections: 2 });
  await migrate(template);
  await distributeTables(template);
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
