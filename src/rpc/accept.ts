/**
 * Returns the known media type that an `Accept` header prefers, or undefined if it accepts none of them (RFC
 * 9110, section 12.5.1). If two are equally preferred, the first in the header wins.
 */
export function preferredMediaType(accept: string, known: string[]): string | undefined {
  const [best] = accept
    .split(",")
    .map((range, position) => ({ ...readMediaRange(range), position }))
    .filter(({ type, quality }) => quality > 0 && known.includes(type))
    .toSorted((a, b) => b.quality - a.quality || a.position - b.position);
  return best?.type;
}

/** A media range: its type without parameters, and its weight from 0 to 1. */
function readMediaRange(range: string): { type: string; quality: number } {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const weight =
    parameters.find((parameter) => parameter.startsWith("q="))?.slice("q=".length) ?? "1";
  return {
    type,
    quality: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0,
  };
}
