/** Logs in and pulls as Docker does: it knows nothing but the host, a user name and a password. */
import { baseUrl } from "../world/platform.ts";
import { basicHeader } from "./stored_images.ts";

/** The body of a response, which must have the status 200. */
async function bodyOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return text;
}

/** The parameters of a challenge (RFC 6750 section 3). */
const challengeIn = (response: Response) => {
  const header = response.headers.get("www-authenticate") ?? "";
  return Object.fromEntries(
    [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
};

/** Gets what a path has: without a token at first, and then with the one that the challenge asks for. */
export async function getAsDocker(path: string, user: string, password: string): Promise<string> {
  const url = `${baseUrl()}${path}`;
  const { realm = "", service = "", scope } = challengeIn(await fetch(url));
  const query = new URLSearchParams({ account: user, service, ...(scope && { scope }) });
  // The tests' platform has another port than the one that it names.
  const from = `${baseUrl()}${new URL(realm).pathname}?${query}`;
  const answer = await bodyOf(await fetch(from, { headers: basicHeader(password, user) }));
  const { token } = JSON.parse(answer);
  return bodyOf(await fetch(url, { headers: { authorization: `Bearer ${token}` } }));
}
