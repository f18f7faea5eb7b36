// Charts. The curve is for the eye; what it says stands beside it as text.

import { useEffect, useRef } from "preact/hooks";
import Plot from "uplot";
import { html } from "./html.js";

const HEIGHT = 170;
/** Steps of places that are no times: whole ones. */
const WHOLE = [1, 2, 5, 10, 20, 50, 100];
const dark = matchMedia("(prefers-color-scheme: dark)");

/**
 * Curves or bars over common places: `lines` are `{ values, colour, isBars, scale }`, `colour` the name of one of the
 * theme's, `scale` of those with an axis of their own at the right. `places` are numbers, times where `isTime`.
 */
export function Chart({ label, places, lines, isTime = false, format, formatPlace = String }) {
  const element = useRef(null);
  const plot = useRef(null);
  const data = [places, ...lines.map(({ values }) => values)];
  useEffect(() => {
    const draw = () => {
      plot.current?.destroy();
      const options = { label, lines, isTime, format, formatPlace };
      plot.current = new Plot(optionsOf(element.current, options), data, element.current);
    };
    const fit = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.current.clientWidth, height: HEIGHT });
    });
    draw();
    fit.observe(element.current);
    dark.addEventListener("change", draw);
    return () => {
      fit.disconnect();
      dark.removeEventListener("change", draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => plot.current?.setData(data), [JSON.stringify(data)]);
  return html`<div class="chart" role="img" aria-label=${label}><div ref=${element}></div></div>`;
}

function optionsOf(element, { lines, isTime, format, formatPlace }) {
  const style = getComputedStyle(element);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const resolved = (name) => {
    // A canvas knows no light-dark().
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    element.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value || colour(name);
  };
  const font = `12px ${style.fontFamily}`;
  const axis = {
    stroke: resolved("soft"),
    font,
    grid: { stroke: resolved("line"), width: 1 },
    ticks: { show: false },
  };
  const scales = [...new Set(lines.map(({ scale = "y" }) => scale))];
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 8, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    scales: {
      x: {
        time: isTime,
        ...(lines.some(({ isBars }) => isBars) && {
          range: (_plot, low, high) => [low - 0.5, high + 0.5],
        }),
      },
      ...Object.fromEntries(
        scales.map((scale) => [
          scale,
          { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
        ]),
      ),
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: isTime ? undefined : WHOLE,
        values: (_plot, values) => values.map(isTime ? clockOf : formatPlace),
      },
      ...scales.map((scale, index) => ({
        ...axis,
        scale,
        side: index === 0 ? 3 : 1,
        size: 56,
        grid: { ...axis.grid, show: index === 0 },
        values: (_plot, values) => values.map((value) => format[scale](value)),
      })),
    ],
    series: [
      {},
      ...lines.map(({ colour: name, isBars, scale = "y" }) => ({
        scale,
        stroke: resolved(name),
        width: isBars ? 0 : 2,
        points: { show: false },
        ...(isBars && { fill: resolved(name), paths: Plot.paths.bars({ size: [0.75, 40] }) }),
      })),
    ],
  };
}

function clockOf(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB");
}
