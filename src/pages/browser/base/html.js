// Templates: what stands between the tags is inserted as text, whatever it holds.

import htm from "htm";
import { h } from "preact";

export const html = htm.bind(h);
