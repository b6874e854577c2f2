/** Writes SVG elements as text, with the style that all charts share. */

/** In pixels: as wide as GitHub shows a picture in a page. */
export const width = 800;

/** Dark enough on white, and distinguishable for the color-blind (after Okabe and Ito). */
const palette = ["#0072b2", "#d55e00", "#009e73", "#a6588c", "#8a6d00", "#56789a", "#5b5b5b"];

export const colors = {
  ink: "#1f2328",
  faint: "#59636e",
  grid: "#e3e7ec",
  axis: "#8c959f",
  card: "#ffffff",
  border: "#d1d9e0",
  bound: "#cf222e",
};

/** Returns the color of the series at a position. Colors repeat after the last. */
export const colorAt = (index: number) => palette[index % palette.length] ?? colors.ink;

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

/** Tenths of a pixel are enough, and keep the texts of two runs alike. */
const attribute = (value: string | number) =>
  typeof value === "number" ? String(Math.round(value * 10) / 10) : escaped(value);

/** Returns one element. `content` is already SVG. */
export function element(
  name: string,
  attributes: Record<string, string | number | undefined>,
  content = "",
): string {
  const written = Object.entries(attributes)
    .flatMap(([key, value]) => (value === undefined ? [] : [` ${key}="${attribute(value)}"`]))
    .join("");
  return content === "" ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

/** Returns a line of text. `anchor` is the point of the text at `x`. */
export function label(
  text: string,
  position: { x: number; y: number; anchor?: "start" | "middle" | "end" },
  style: { size?: number; color?: string; bold?: boolean; turn?: number; halo?: string } = {},
): string {
  const { size = 12, color = colors.ink, bold = false, turn, halo } = style;
  // The halo separates the text from what is below it.
  const edge = halo
    ? { stroke: halo, "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round" }
    : {};
  return element(
    "text",
    {
      x: position.x,
      y: position.y,
      "text-anchor": position.anchor === "start" ? undefined : position.anchor,
      "font-size": size,
      "font-weight": bold ? 600 : undefined,
      fill: color,
      ...edge,
      transform: turn === undefined ? undefined : `rotate(${turn} ${position.x} ${position.y})`,
    },
    escaped(text),
  );
}

export function segment(
  [x1, y1]: [number, number],
  [x2, y2]: [number, number],
  stroke: string,
  style: Record<string, string | number> = {},
): string {
  return element("line", { x1, y1, x2, y2, stroke, ...style });
}

/** Returns the approximate width of a text in pixels. Fonts differ, and none is available to measure with. */
export const textWidth = (text: string, size = 12) => text.length * size * 0.58;

/** Returns the text, cut if it would be wider than `room` pixels. */
export function truncateToWidth(text: string, room: number, size = 12): string {
  const most = Math.floor(room / textWidth("m", size));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Returns the whole picture, on a card so that it is readable on light and on dark pages. */
export function picture(title: string, height: number, content: string[]): string {
  const card = element("rect", {
    x: 0.5,
    y: 0.5,
    width: width - 1,
    height: height - 1,
    rx: 8,
    fill: colors.card,
    stroke: colors.border,
  });
  const head = label(title, { x: 20, y: 30 }, { size: 16, bold: true });
  const lines = [element("title", {}, escaped(title)), card, head, ...content];
  return `${element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "font-family":
        "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Helvetica, Arial, sans-serif",
    },
    `\n${lines.join("\n")}\n`,
  )}\n`;
}
