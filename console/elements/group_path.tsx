/** Where something is: the path of a group by its names. */
import { useGroupPath } from "../data/names.ts";

/** The path of a group, such as `acme.example / payments`. In a table there is only room for its last name. */
export function GroupPath({ uid, isShort = false }: { uid: string; isShort?: boolean }) {
  const names = useGroupPath(uid);
  const text = names.join(" / ");
  return <bdi title={text}>{isShort ? names.at(-1) : text}</bdi>;
}
