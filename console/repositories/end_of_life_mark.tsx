/** The mark of a tag at the end of its life. In a narrow window it is a sign. */
import { Badge } from "../elements/badge.tsx";
import { Icon } from "../elements/icon.tsx";

/** `count` is the number of such tags, for the mark of a repository. */
export function EndOfLifeMark({ count }: { count?: string }) {
  return (
    <span class="repositories-mark">
      <Badge tone="warn">
        <span class="repositories-sign">
          <Icon name="warning" />
        </span>
        {count === undefined ? "" : `${count} `}
        <span class="repositories-word">end of life</span>
      </Badge>
    </span>
  );
}
