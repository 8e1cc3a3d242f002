package sqlstore_test

import (
	"encoding/xml"
	"fmt"
	"math"
	"strings"
)

// chart draws curves over the number of items, both scales logarithmic: the
// line is the 99th percentile, and the dots beside it are the median.
type chart struct {
	curves []*curve
}

type curve struct {
	name   string
	points []point
}

type point struct {
	items    int
	p50, p99 float64 // milliseconds
}

func (c *chart) add(name string, items int, p50, p99 float64) {
	p := point{items, p50, p99}
	for _, one := range c.curves {
		if one.name == name {
			one.points = append(one.points, p)
			return
		}
	}
	c.curves = append(c.curves, &curve{name, []point{p}})
}

// Where things are, in the picture's units, and what the scales reach.
const (
	chartWidth, chartHeight = 900.0, 460.0
	left, right             = 60.0, 560.0
	top, bottom             = 20.0, 420.0
	leastMS, mostMS         = 0.01, 100.0
)

func (c *chart) x(items int) float64 {
	least, most := math.Inf(1), 0.0
	for _, one := range c.curves {
		for _, p := range one.points {
			least, most = min(least, float64(p.items)), max(most, float64(p.items))
		}
	}
	if least == most {
		return (left + right) / 2
	}
	return left + (right-left)*math.Log(float64(items)/least)/math.Log(most/least)
}

func y(ms float64) float64 {
	ms = min(mostMS, max(leastMS, ms))
	return bottom - (bottom-top)*math.Log(ms/leastMS)/math.Log(mostMS/leastMS)
}

// svg returns the picture.
func (c *chart) svg() string {
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12">`+"\n", chartWidth, chartHeight)
	s.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	for ms := leastMS; ms < mostMS*1.5; ms *= 10 {
		fmt.Fprintf(&s, `<path d="M%g %.1fH%g" stroke="#ddd"/><text x="%g" y="%.1f" text-anchor="end">%g ms</text>`+"\n",
			left, y(ms), right, left-6, y(ms)+4, math.Round(ms*100)/100)
	}
	for _, p := range c.longest() {
		fmt.Fprintf(&s, `<path d="M%.1f %gV%g" stroke="#ddd"/><text x="%.1f" y="%g" text-anchor="middle">%s</text>`+"\n",
			c.x(p.items), top, bottom, c.x(p.items), bottom+18, grouped(p.items))
	}
	fmt.Fprintf(&s, `<text x="%g" y="%g" text-anchor="middle">items in the project</text>`+"\n", (left+right)/2, bottom+36)
	for i, one := range c.curves {
		c.draw(&s, one, i)
	}
	s.WriteString("</svg>\n")
	return s.String()
}

func (c *chart) longest() []point {
	var most []point
	for _, one := range c.curves {
		if len(one.points) > len(most) {
			most = one.points
		}
	}
	return most
}

// draw adds a curve, and its name with the last figures beside.
func (c *chart) draw(s *strings.Builder, one *curve, number int) {
	colour := fmt.Sprintf("hsl(%d 70%% 38%%)", number*360/len(c.curves))
	var line []string
	for _, p := range one.points {
		line = append(line, fmt.Sprintf("%.1f,%.1f", c.x(p.items), y(p.p99)))
		fmt.Fprintf(s, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", c.x(p.items), y(p.p50), colour)
	}
	fmt.Fprintf(s, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n",
		strings.Join(line, " "), colour)
	at, last := top+14+float64(number)*34, one.points[len(one.points)-1]
	var name strings.Builder
	_ = xml.EscapeText(&name, []byte(one.name))
	fmt.Fprintf(s, `<path d="M%g %.1fh20" stroke="%s" stroke-width="3"/><text x="%g" y="%.1f">%s</text>`+"\n",
		right+16, at-4, colour, right+42, at, name.String())
	fmt.Fprintf(s, `<text x="%g" y="%.1f" fill="#555">at the end: median %.2g ms, p99 %.2g ms</text>`+"\n", right+42,
		at+15, last.p50, last.p99)
}

// grouped writes 1000000 as 1 000 000.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s %03d", grouped(n/1000), n%1000)
}
