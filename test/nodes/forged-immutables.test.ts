import { startAttackWorld } from "../verification/attacks/attack-world.ts";
import { tryForgeries } from "../verification/attacks/made-up-arguments.ts";
import { deployTo } from "../verification/deployment.ts";
import { ARCHIVE, startGeth } from "./geth.ts";

// With the state within a block, which no development node but geth gives, and with the fields of real headers.

const flags = [...ARCHIVE, "--dev.gaslimit", "30000000"];

tryForgeries(async () => startAttackWorld(deployTo(await startGeth(flags))));
