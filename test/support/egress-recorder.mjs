// Preloaded into a process and its threads: notes every place that it connects to or looks up.

import dns from "node:dns";
import { appendFileSync } from "node:fs";
import net from "node:net";

const file = process.env["EGRESS_FILE"];
const note = (place) => appendFileSync(file, `${place}\n`);

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...values) {
  const [options] = Array.isArray(values[0]) ? values[0] : values;
  const {
    host = "localhost",
    port,
    path,
  } = typeof options === "object" ? options : { port: options };
  note(path ?? `${host}:${port}`);
  return connect.apply(this, values);
};

const lookup = dns.lookup;
dns.lookup = function (name, ...values) {
  note(`lookup ${name}`);
  return lookup.call(this, name, ...values);
};
