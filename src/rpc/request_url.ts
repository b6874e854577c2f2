let last: { text: string; url: URL } | undefined;

/** The URL of a request, which several rooms read and none changes. The last one is parsed once. */
export function urlOf({ url: text }: Request): URL {
  if (last?.text !== text) last = { text, url: new URL(text) };
  return last.url;
}
