/** Images as they are named for a registry: `[host/]namespace/name[:tag][@…]`. */
import { usageFailure } from "../failure.ts";

/** An image name and its tag. `name` is what the registry calls it: `example.com/python`. */
export type ImageReference = { name: string; tag: string };

// Names and tags as the OCI distribution specification has them ("Pulling manifests").
const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const nameForm = new RegExp(`^${component}(?:/${component})+$`);
const tagForm = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const greatestName = 296;

/** What `pin` takes: a reference, and behind an `@` the moment that is asked for. */
export function splitMoment(text: string): { image: string; moment: string | undefined } {
  const at = text.indexOf("@");
  if (at < 0) return { image: text, moment: undefined };
  return { image: text.slice(0, at), moment: text.slice(at + 1) };
}

/**
 * Reads a reference; the tag is `latest` unless it is told. `host` is the registry's, which may stand
 * before the name. Throws a USAGE Failure.
 */
export function readReference(text: string, host: string): ImageReference {
  if (text.includes("@")) {
    throw usageFailure(
      `${text} names a digest already, which never moves. Name a tag: NAMESPACE/NAME:TAG`,
    );
  }
  const path = withoutHost(text, host);
  const colon = path.lastIndexOf(":");
  const name = colon < 0 ? path : path.slice(0, colon);
  const tag = colon < 0 ? "latest" : path.slice(colon + 1);
  if (!nameForm.test(name) || name.length > greatestName) {
    throw usageFailure(
      `Not an image: ${text}. Write NAMESPACE/NAME:TAG in small letters, such as example.com/python:latest.`,
    );
  }
  if (!tagForm.test(tag)) {
    throw usageFailure(
      `Not a tag: ${tag}. It is 1 to 128 letters, digits, dots, dashes and underscores.`,
    );
  }
  return { name, tag };
}

/** An organization may be called as a host is, so the host counts only where a whole name follows. */
function withoutHost(text: string, host: string): string {
  const [first = "", ...rest] = text.split("/");
  if (rest.length >= 2 && first === host) return rest.join("/");
  // Only a host has a port in the middle of a reference.
  if (rest.length > 0 && (first.includes(":") || first === "localhost")) {
    if (first === host) return text;
    throw usageFailure(
      `${first} is not the registry of this platform, which is ${host}. Another platform is named by PLATFORM_URL.`,
    );
  }
  return text;
}
