/** Names as pages show them. */
import { shortUid } from "./uids.ts";

/** The name, or a part of the uid for a name of spaces only, which the platform accepts and no one can see. */
export const shownName = (name: string | undefined, uid: string): string =>
  name === undefined || name.trim() === "" ? shortUid(uid) : name;
