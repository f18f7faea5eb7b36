import { createSql, type Sql } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { distributeTables } from "../../src/store/cluster/distribution.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { deployWorld, type World } from "../support/world/world.ts";
import { type Cluster, type ClusterServer, type PortOf, startCluster, urlOf } from "./cluster.ts";

/** A chain and a cluster to index it in. */
export interface ScaleWorld {
  cluster: Cluster;
  anvil: Anvil;
  world: World;
  /** The coordinator's database, its tables distributed. */
  sql: Sql;
  stop(): Promise<void>;
}

/**
 * Starts a cluster and a chain with the sample world. The tables are distributed before any write.
 * `reach` is how the coordinator reaches the workers.
 */
export async function startScaleWorld(
  reach?: (workers: readonly ClusterServer[]) => Promise<PortOf>,
): Promise<ScaleWorld> {
  const [cluster, anvil] = await Promise.all([startCluster(), startAnvil()]);
  const sql = await spreadDatabase(cluster, "postgres", await reach?.(cluster.workers));
  const world = await deployWorld(anvil.url);
  return {
    cluster,
    anvil,
    world,
    sql,
    async stop() {
      await sql.end({ timeout: 1 });
      await anvil.stop();
      await cluster.stop();
    },
  };
}

/** Makes the database of this name a cluster whose tables are spread, and a client of it. */
export async function spreadDatabase(
  cluster: Cluster,
  name: string,
  portOf?: PortOf,
): Promise<Sql> {
  await cluster.join(name, portOf);
  const sql = createSql(urlOf(cluster.coordinator, name), { connections: 2 });
  await migrate(sql);
  await distributeTables(sql);
  return sql;
}
