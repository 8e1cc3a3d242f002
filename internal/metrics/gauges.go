package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// Reading is one figure of something that is looked at when somebody asks.
type Reading struct {
	Name  string // without the prefix portico_
	Help  string
	Label string // the name of the one label; empty: there is none
	Total bool   // it only grows, while the server runs
}

// Source reads figures: each by the value of its label, "" where it has none. A source
// that fails leaves its figures out: a scrape must not end with a database that is away.
type Source struct {
	Of   []Reading
	Read func(ctx context.Context) ([]map[string]float64, error) // as many as Of has
}

// Look adds figures of a source.
func (m *Metrics) Look(s Source) { m.registry.MustRegister(newCollector(s)) }

type collector struct {
	source Source
	descs  []*prometheus.Desc
}

func newCollector(s Source) *collector {
	c := &collector{source: s}
	for _, r := range s.Of {
		var labels []string
		if r.Label != "" {
			labels = []string{r.Label}
		}
		c.descs = append(c.descs, prometheus.NewDesc("portico_"+r.Name, r.Help, labels, nil))
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLimit)
	defer cancel()
	found, err := c.source.Read(ctx)
	if err != nil {
		return
	}
	for i, figures := range found {
		kind := prometheus.GaugeValue
		if c.source.Of[i].Total {
			kind = prometheus.CounterValue
		}
		for value, figure := range figures {
			var labels []string
			if c.source.Of[i].Label != "" {
				labels = []string{value}
			}
			out <- prometheus.MustNewConstMetric(c.descs[i], kind, figure, labels...)
		}
	}
}
