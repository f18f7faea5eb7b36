import { once } from "node:events";
import net from "node:net";

/** Returns a free TCP port of loopback: the preferred one, or else any. */
export async function freePort(preferred = 0): Promise<number> {
  const server = net.createServer();
  try {
    server.listen(preferred, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    if (preferred === 0) throw error;
    return freePort();
  }
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
