package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// fleet are the servers that are measured by turns, Portico first.
type fleet []member

type member struct {
	*server
	newLoads func(context.Context, *server) ([]load, error)
}

// startFleet starts the servers of the plan in folders of dir, and notes of the first how
// fast it starts, and what it keeps when nobody asks for anything.
func startFleet(ctx context.Context, p plan, dir string, r *results) (f fleet, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, f.stop())
		}
	}()
	for i, binary := range p.binaries {
		own := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(own, 0o700); err != nil {
			return f, err
		}
		s, err := newServer(binary, p.databases[i], own)
		if err != nil {
			return f, err
		}
		s.items = p.items
		if r.firstStart, err = s.start(ctx); err != nil {
			return f, err
		}
		f = append(f, member{s, newLoads})
	}
	if err := f[0].stop(); err != nil {
		return f[1:], err
	}
	if r.laterStart, err = f[0].start(ctx); err != nil {
		return f[1:], err
	}
	time.Sleep(p.idle)
	if r.idle, err = f[0].memory(); err != nil {
		return f, err
	}
	if p.outsider.issuer != "" {
		s, err := p.outsider.server(ctx)
		if err != nil {
			return f, err
		}
		f = append(f, member{s, p.outsider.loads})
	}
	if p.peer == "" {
		return f, nil
	}
	peer, err := newPeer(p.peer, dir)
	if err == nil {
		f, err = f.join(ctx, peer, peerLoads)
	}
	if err != nil {
		return f, err
	}
	bare, err := newBare(f[0].server)
	if err != nil {
		return f, err
	}
	return f.join(ctx, bare, bareLoads)
}

// join starts a server, which is then of the fleet.
func (f fleet) join(ctx context.Context, s *server,
	loads func(context.Context, *server) ([]load, error)) (fleet, error) {
	if _, err := s.start(ctx); err != nil {
		return f, err
	}
	return append(f, member{s, loads}), nil
}

func (f fleet) stop() (err error) {
	for _, s := range f {
		err = errors.Join(err, s.stop())
	}
	return err
}

// loads returns what all are asked, the same of each one after the other.
func (f fleet) loads(ctx context.Context) (all []load, err error) {
	for _, s := range f {
		loads, err := s.newLoads(ctx, s.server)
		if err != nil {
			return nil, errors.Join(err, errors.New(s.lastWords()))
		}
		all = append(all, loads...)
	}
	return all, nil
}
