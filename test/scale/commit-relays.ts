import { once } from "node:events";
import net from "node:net";
import type { ClusterServer } from "./cluster.ts";

/** Where a commit of several servers may be interrupted: a message to a worker, or the worker's answer, is kept back. */
export const COMMIT_POINTS = [
  "before PREPARE TRANSACTION",
  "after PREPARE TRANSACTION",
  "before COMMIT PREPARED",
  "after COMMIT PREPARED",
] as const;

type CommitPoint = (typeof COMMIT_POINTS)[number];

/** A commit that stands still. */
interface HeldCommit {
  worker: ClusterServer;
  /** The coordinator's process that commits. */
  pid: number;
  /** Ends the connection that is silent, as the end of the worker's process would. */
  end(): void;
}

/** Relays between a coordinator and its workers, which see what is committed. */
export interface CommitRelays {
  /** The port by which the coordinator reaches a worker. */
  portOf(worker: ClusterServer): number;
  /** Keeps the next commit back on its way to the worker that comes to the point first. Nothing else is kept back. */
  hold(point: CommitPoint): Promise<HeldCommit>;
  stop(): Promise<void>;
}

/** The event that all relays wait for. */
interface Awaited {
  message: RegExp;
  isAnswer: boolean;
  resolve(held: HeldCommit): void;
}

/** Starts a relay before each worker. The servers must not encrypt what they say to one another. */
export async function startCommitRelays(workers: readonly ClusterServer[]): Promise<CommitRelays> {
  let awaited: Awaited | undefined;
  const sockets = new Set<net.Socket>();

  function connect(client: net.Socket, worker: ClusterServer): void {
    const upstream = net.connect({ host: "127.0.0.1", port: worker.port, noDelay: true });
    client.setNoDelay(true);
    let isHeld = false;
    let onAnswer = () => {};
    client.on("data", (bytes) => {
      const found = awaited?.message.exec(bytes.toString("latin1"));
      if (awaited && found) {
        const { isAnswer, resolve } = awaited;
        awaited = undefined;
        isHeld = true;
        const held = () => resolve({ worker, pid: Number(found[1]), end: () => client.destroy() });
        if (!isAnswer) return held();
        onAnswer = held;
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (isHeld) onAnswer();
      else client.write(bytes);
    });
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => peer.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        peer.destroy();
      });
    }
  }

  const servers = await Promise.all(
    workers.map(async (worker) => {
      const server = net.createServer((client) => connect(client, worker));
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  return {
    portOf: (worker) => {
      const server = servers[workers.indexOf(worker)] as net.Server;
      return (server.address() as net.AddressInfo).port;
    },
    hold: (point) => {
      const [when, ...words] = point.split(" ");
      // Named `citus_<group>_<process of the coordinator>_…`.
      const message = new RegExp(`${words.join(" ")} 'citus_\\d+_(\\d+)_`);
      return new Promise((resolve) => {
        awaited = { message, isAnswer: when === "after", resolve };
      });
    },
    stop: async () => {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => server.listening && once(server, "close")));
    },
  };
}
