import { startAttackWorld } from "../verification/attacks/attack-world.ts";
import { tryForgeries } from "../verification/attacks/made-up-arguments.ts";
import { deployTo } from "../verification/deployment.ts";
import { startGeth } from "./geth.ts";

// With the state within a block, which no development node but geth gives, and with the fields of real headers.

tryForgeries(async () => startAttackWorld(deployTo(await startGeth())));
