/** Images as a registry names them: `[host/]namespace/name[:tag][@…]`. */
import { usageFailure } from "../failure.ts";

/** An image name and its tag. `name` is the name in the registry, such as `acme.example/python`. */
export type ImageReference = { name: string; tag: string };

// The forms of names and tags in the OCI distribution specification ("Pulling manifests").
const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const nameForm = new RegExp(`^${component}(?:/${component})+$`);
const componentForm = new RegExp(`^${component}$`);
const tagForm = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const greatestName = 296;

/** Whether a name can be one step of an image name, between slashes. */
export const isComponent = (text: string): boolean => componentForm.test(text);

/** Splits an argument of `pin` into a reference and the time after `@`, if there is one. */
export function splitMoment(text: string): { image: string; moment: string | undefined } {
  const index = text.indexOf("@");
  if (index < 0) return { image: text, moment: undefined };
  return { image: text.slice(0, index), moment: text.slice(index + 1) };
}

/**
 * Parses a reference. The default tag is `latest`. `host` is the host of the registry, which may precede the name.
 * Throws a USAGE Failure.
 */
export function readReference(text: string, host: string): ImageReference {
  if (text.includes("@")) {
    throw usageFailure(
      `${text} already contains a digest, which never changes. Use a tag instead: NAMESPACE/NAME:TAG`,
    );
  }
  const path = withoutHost(text, host);
  const colon = path.lastIndexOf(":");
  const name = colon < 0 ? path : path.slice(0, colon);
  const tag = colon < 0 ? "latest" : path.slice(colon + 1);
  if (!nameForm.test(name) || name.length > greatestName) {
    throw usageFailure(
      `${text} is not an image. Write NAMESPACE/NAME:TAG in lowercase letters, such as acme.example/python:latest.`,
    );
  }
  if (!tagForm.test(tag)) {
    throw usageFailure(
      `${tag} is not a tag. A tag has 1 to 128 letters, digits, dots, hyphens and underscores.`,
    );
  }
  return { name, tag };
}

/**
 * Removes the host. An organization may have the same name as a host, so the host counts only if a whole name follows.
 */
export function withoutHost(text: string, host: string): string {
  const [first = "", ...rest] = text.split("/");
  if (rest.length >= 2 && first === host) return rest.join("/");
  // Only a host has a port in the middle of a reference.
  if (rest.length > 0 && (first.includes(":") || first === "localhost")) {
    if (first === host) return text;
    throw usageFailure(
      `${first} is not the registry of this platform, which is ${host}. To use another platform, set PLATFORM_URL.`,
    );
  }
  return text;
}
