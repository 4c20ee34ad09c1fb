// The address of a bot's widget, which a page's script tag loads; `&token=` is added for a known visitor.

export function widgetUrlOf(publicUrl: string, botId: string): string {
  return `${publicUrl}/widget.js?bot=${botId}`;
}
