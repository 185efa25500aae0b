import { useEffect, useRef, type ReactNode } from "react";

/** A menu behind a button: a choice, a press elsewhere and Escape close it. */
export function Menu(props: {
  readonly label: string;
  readonly className?: string;
  readonly testId?: string;
  readonly children: ReactNode;
}) {
  const { label, className, testId, children } = props;
  const element = useRef<HTMLDetailsElement>(null);
  const close = () => element.current?.removeAttribute("open");
  useEffect(() => {
    const onPress = ({ target }: PointerEvent) => {
      if (!(target instanceof Element && element.current?.contains(target))) close();
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === "Escape") close();
    };
    // In the capture phase: the canvas keeps such events to itself.
    document.addEventListener("pointerdown", onPress, true);
    document.addEventListener("keydown", onKey, true);
    return () => {
      document.removeEventListener("pointerdown", onPress, true);
      document.removeEventListener("keydown", onKey, true);
    };
  }, []);
  return (
    <details ref={element} className={`menu ${className ?? ""}`} data-testid={testId}>
      <summary>{label}</summary>
      <menu onClick={close}>{children}</menu>
    </details>
  );
}
