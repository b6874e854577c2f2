/** Shows what the platform warns of in an answer that is not an error, such as a setting without effect. */
import { here } from "../surroundings.ts";

/** Calls fetch, and writes the text of a `Warning` header with the code 299 (RFC 7234) on standard error. */
export const fetchAndWarn: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const [, text] = /^299 \S+ "([^"]*)"/.exec(response.headers.get("warning") ?? "") ?? [];
  if (text !== undefined) here().stderr.write(`warning: ${text}\n`);
  return response;
};
