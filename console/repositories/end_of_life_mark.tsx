/** The mark of a tag at the end of its life. In a narrow window it is a sign. */
import { Badge } from "../elements/badge.tsx";
import { Icon } from "../elements/icon.tsx";

/** `count` is the number of such tags, for the mark of a repository. `replacement` is the name of a newer tag. */
export function EndOfLifeMark({
  count,
  replacement,
}: {
  count?: string;
  replacement?: string | undefined;
}) {
  return (
    <span class="repositories-mark" title={replacement && `Use ${replacement} instead`}>
      <Badge tone="warn">
        <span class="repositories-sign">
          <Icon name="warning" />
        </span>
        {count !== undefined && `${count} `}
        <span class="repositories-word">{count === undefined ? "End of life" : "end of life"}</span>
      </Badge>
    </span>
  );
}
