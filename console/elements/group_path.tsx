/** Where something is: the path of a group by its names. */
import { useGroupPath } from "../data/names.ts";

/** The path of a group, such as `example.com / payments`. */
export function GroupPath({ uid }: { uid: string }) {
  const text = useGroupPath(uid).join(" / ");
  return <bdi title={text}>{text}</bdi>;
}
