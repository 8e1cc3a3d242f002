from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.template import engines
from django.urls import include, path, reverse


@login_required
def home(request):
    user = request.user
    return HttpResponse(f'{user.username} {user.email} {user.get_full_name()}')


def post(request):
    form = '<form method="post" action="{{ to }}">{% csrf_token %}</form>'
    return HttpResponse(engines['django'].from_string(form).render({'to': request.GET['to']}, request))


urlpatterns = [
    path('', home),
    path('post', post),
    path('bye', lambda request: HttpResponse('bye')),
]

