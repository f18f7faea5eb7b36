import { once } from "node:events";
import net from "node:net";

/** A TCP relay on a separate port: the server behind it may go away, come back elsewhere, or be cut off. */
export interface Relay {
  port: number;
  /** Sends new connections to another port of loopback. */
  retarget(port: number): void;
  /** Cuts every connection. */
  cut(): void;
  stop(): Promise<void>;
}

/** Starts a relay to a port of loopback. */
export async function startRelay(targetPort: number): Promise<Relay> {
  let target = targetPort;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect({ host: "127.0.0.1", port: target, noDelay: true });
    client.setNoDelay(true);
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.pipe(peer);
      socket.on("error", () => peer.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        peer.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as net.AddressInfo).port,
    retarget: (port) => {
      target = port;
    },
    cut,
    stop: async () => {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
