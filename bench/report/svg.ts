/** SVG elements as text, and the looks that all charts share. */

/** Pixels; as wide as GitHub shows a picture in a page. */
export const width = 800;

/** Dark enough on white, and told apart by the colour-blind (after Okabe and Ito). */
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

/** The colour of the series at a place; they repeat after the last. */
export const colorAt = (at: number) => palette[at % palette.length] ?? colors.ink;

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign);

/** Tenths of a pixel are enough, and keep the text of two runs alike. */
const attribute = (value: string | number) =>
  typeof value === "number" ? String(Math.round(value * 10) / 10) : escaped(value);

/** One element. `content` is SVG already. */
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

/** A line of text. `anchor` is the point of it that stands at `x`. */
export function label(
  text: string,
  at: { x: number; y: number; anchor?: "start" | "middle" | "end" },
  style: { size?: number; color?: string; bold?: boolean; turn?: number; halo?: string } = {},
): string {
  const { size = 12, color = colors.ink, bold = false, turn, halo } = style;
  // What lies below the text is kept off it.
  const edge = halo
    ? { stroke: halo, "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round" }
    : {};
  return element(
    "text",
    {
      x: at.x,
      y: at.y,
      "text-anchor": at.anchor === "start" ? undefined : at.anchor,
      "font-size": size,
      "font-weight": bold ? 600 : undefined,
      fill: color,
      ...edge,
      transform: turn === undefined ? undefined : `rotate(${turn} ${at.x} ${at.y})`,
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

/** About how many pixels a text takes: fonts differ, and none is here to measure with. */
export const textWidth = (text: string, size = 12) => text.length * size * 0.58;

/** The text, cut where it would be wider than `room` pixels. */
export function truncateToWidth(text: string, room: number, size = 12): string {
  const most = Math.floor(room / textWidth("m", size));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** The whole picture, on a card of its own so that it reads on light and on dark pages. */
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
