/** The text of a part of a token, which is in base64url (RFC 7515). Throws if the part is not base64url. */
export function textOfPart(part: string): string {
  const bytes = atob(part.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}
