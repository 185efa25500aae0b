/** What stands in the page's place where there is nothing to show. */
export function CannotOpen({ reason }: { reason: string }) {
  return (
    <div className="beginning" role="alert" data-testid="cannot-open">
      <h1>The graph cannot be shown</h1>
      <p>{reason}</p>
      <button type="button" className="primary" onClick={() => location.reload()}>
        Try again
      </button>
    </div>
  );
}
