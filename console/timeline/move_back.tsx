/** The button that moves the tag back to the image of the chosen moment. */
import { useState } from "preact/hooks";
import { useMay } from "../data/may.ts";
import { refusalOf } from "../data/refusals.ts";
import { Button } from "../elements/button.tsx";
import { MoveBackDialog, type MovedBackTag } from "./move_back_dialog.tsx";

interface MoveBackProps {
  tag: MovedBackTag;
  digest: string;
  /** The digest to which the tag points, as the picture shows it. */
  current: string | undefined;
  /** Called when the tag has moved. */
  onMoved: () => void;
}

export function MoveBack({ tag, digest, current, onMoved }: MoveBackProps) {
  const permissions = useMay(tag.repo);
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="timeline-move-back">
      <Button
        refusal={refusalOf(permissions, "the repository", "CAP_TAG_CREATE", "CAP_TAG_LIST")}
        onClick={() => setOpen(true)}
      >
        Move the tag back to this image
      </Button>
      {isOpen && (
        <MoveBackDialog
          tag={tag}
          to={digest}
          seen={current}
          onMoved={onMoved}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
