/** The name of a resource that another one refers to by its uid. */
import { type Named, useName } from "../data/names.ts";

/** Names come from people, so their direction must not change the text around them. */
export const Name = ({ kind, uid }: { kind: Named; uid: string }) => (
  <bdi title={uid}>{useName(kind, uid)}</bdi>
);
