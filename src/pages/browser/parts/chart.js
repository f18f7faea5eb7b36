// Charts. The curve is for the eye; what it says stands beside it as text.

import { html } from "../base/html.js";

const STEPS = [1, 2, 2.5, 5, 10];
const MOST_TICKS = 4;

/** Round values from 0 to a little more than the largest. */
function ticksTo(largest) {
  const rough = (largest > 0 ? largest : 1) / MOST_TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find((one) => one * power >= rough * 0.999);
  const count = Math.max(1, Math.ceil(largest / step - 0.001));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/**
 * Bars or curves over common places: `lines` are `{ values, colour, isBars, format }`, those of the second `side` with an
 * axis of their own at the right. Null leaves a gap. `formatPlace` names the first and the last place.
 */
export function Chart({ label, places, lines, formatPlace = String }) {
  const sides = [1, 2].map((side) => lines.filter((line) => (line.side ?? 1) === side));
  const axes = sides.map((own) => {
    const values = own.flatMap((line) => line.values.filter((value) => value !== null));
    return { ticks: ticksTo(Math.max(0, ...values)), format: own[0]?.format ?? String };
  });
  const heightOf = ({ side = 1 }, value) => (100 * value) / axes[side - 1].ticks.at(-1);
  return html`<div class="chart" role="img" aria-label=${label}>
    ${axes.map(({ ticks, format }, index) => sides[index].length > 0 && html`<ol class="axis" data-side=${index + 1}>${ticks.toReversed().map((tick) => html`<li>${format(tick)}</li>`)}</ol>`)}
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      ${axes[0].ticks.map((tick) => html`<path class="rule" d=${`M0 ${100 - heightOf({}, tick)}H100`} />`)}
      ${lines.map((line) => html`<path class=${line.isBars ? "bars" : "curve"} data-colour=${line.colour} d=${line.isBars ? barsOf(line, heightOf) : curveOf(line, heightOf)} />`)}
    </svg>
    <p class="places"><span>${formatPlace(places[0])}</span><span>${formatPlace(places.at(-1))}</span></p>
  </div>`;
}

function barsOf(line, heightOf) {
  const width = 100 / line.values.length;
  return line.values
    .map((value, index) =>
      value === null
        ? ""
        : `M${width * (index + 0.15)} 100v${-heightOf(line, value)}h${width * 0.7}V100z`,
    )
    .join("");
}

function curveOf(line, heightOf) {
  const { values } = line;
  const width = 100 / values.length;
  return values
    .map((value, index) => {
      if (value === null) return "";
      const isFirst = index === 0 || values[index - 1] === null;
      return `${isFirst ? "M" : "L"}${width * (index + 0.5)} ${100 - heightOf(line, value)}`;
    })
    .join("");
}
