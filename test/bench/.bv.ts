import { mkdtemp } from "node:fs/promises";
import path from "node:path"; import os from "node:os";
import { startDatabaseServer } from "./measure/database.ts";
import { formatSection } from "./measure/report.ts";
import { benchVerification } from "./verification.ts";
const folder = await mkdtemp(path.join(os.tmpdir(), "periscope-bench-"));
const server = await startDatabaseServer(path.join(folder, "postgres"));
try { await benchVerification({ server, folder, quick: process.argv[2]==='q', profile:false, say:(t)=>console.error(t), report:(s)=>console.log(formatSection(s)) }); } finally { await server.stop(); }
